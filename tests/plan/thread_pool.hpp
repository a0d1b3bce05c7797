// Threads of this process that are kept from one run of a program of steps to the next: to make one takes longer than most runs
// do.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace railgauge::test {

class ThreadPool {
 public:
  // That of this process: a child of a fork has none of its parent's threads. It is never taken down, nor are its threads.
  static ThreadPool& of_process() {
    static std::mutex mutex;
    static ThreadPool* pool = nullptr;
    static pid_t process = 0;
    const std::scoped_lock lock(mutex);
    if (pool == nullptr || process != getpid()) {
      pool = new ThreadPool;
      process = getpid();
    }
    return *pool;
  }

  // Each task has a thread of its own, beside all others. Nothing tells its end but the task.
  void run(std::function<void()> task) {
    Worker* worker = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      if (idle_.empty()) {
        worker = workers_.emplace_back(std::make_unique<Worker>()).get();
        std::thread([this, worker] { serve(*worker); }).detach();
      } else {
        worker = idle_.back();
        idle_.pop_back();
      }
    }
    {
      const std::scoped_lock lock(worker->mutex);
      worker->task = std::move(task);
    }
    worker->told.notify_one();
  }

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable told;
    std::function<void()> task;
  };

  [[noreturn]] void serve(Worker& me) {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(me.mutex);
        me.told.wait(lock, [&] { return static_cast<bool>(me.task); });
        task = std::exchange(me.task, nullptr);
      }
      task();
      task = nullptr;
      const std::scoped_lock lock(mutex_);
      idle_.push_back(&me);
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;
};

}  // namespace railgauge::test
