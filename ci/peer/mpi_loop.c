/* One collective of an MPI, timed as railgauge's drop-in for nccl-tests times its own: a barrier, then so many operations between two
   readings of the clock, out of place, buffers made beforehand; the slowest rank counts. A line a size: bytes, seconds of one operation.
   usage: mpi_loop COLLECTIVE FROM_BYTES TO_BYTES FACTOR ITERATIONS WARM_UP. The bytes are the size S of docs/bandwidth.md; elements
   are float32. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *input, *output;
static int ranks, whole, part; /* elements of S, and of a rank's share of it */

static void all_reduce(void) { MPI_Allreduce(input, output, whole, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void all_gather(void) { MPI_Allgather(input, part, MPI_FLOAT, output, part, MPI_FLOAT, MPI_COMM_WORLD); }
static void reduce_scatter(void) { MPI_Reduce_scatter_block(input, output, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(input, whole, MPI_FLOAT, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(input, output, whole, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); }
static void all_to_all(void) { MPI_Alltoall(input, part, MPI_FLOAT, output, part, MPI_FLOAT, MPI_COMM_WORLD); }

static const struct {
  const char* name;
  void (*run)(void);
} rows[] = {{"all_reduce", all_reduce}, {"all_gather", all_gather}, {"reduce_scatter", reduce_scatter},
            {"broadcast", broadcast},   {"reduce", reduce},         {"all_to_all", all_to_all}};

int main(int argc, char** argv) {
  void (*run)(void) = NULL;
  long long bytes, last, factor;
  long iterations, warm_up, i;
  size_t room;
  int rank;
  double begin, mine, slowest;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (i = 0; argc == 7 && i < (long)(sizeof rows / sizeof rows[0]); ++i)
    if (strcmp(argv[1], rows[i].name) == 0) run = rows[i].run;
  if (run == NULL || (factor = strtoll(argv[4], NULL, 10)) < 2 || (bytes = strtoll(argv[2], NULL, 10)) < 1) {
    if (rank == 0) fprintf(stderr, "usage: mpi_loop COLLECTIVE FROM_BYTES TO_BYTES FACTOR ITERATIONS WARM_UP\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  last = strtoll(argv[3], NULL, 10);
  iterations = strtol(argv[5], NULL, 10);
  warm_up = strtol(argv[6], NULL, 10);
  room = ((size_t)last / (2 << 20) + 1) * (2 << 20);
  input = aligned_alloc(2 << 20, room);
  output = aligned_alloc(2 << 20, room);
  for (i = 0; i < (long)(room / sizeof(float)); ++i) {
    input[i] = (float)(rank + i % 7);
    output[i] = 0;
  }
  for (; bytes <= last; bytes *= factor) {
    whole = (int)(bytes / 4);
    part = whole / ranks;
    for (i = 0; i < warm_up; ++i) run();
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (i = 0; i < iterations; ++i) run();
    mine = (MPI_Wtime() - begin) / (double)iterations;
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%lld %.12g\n", bytes, slowest);
  }
  MPI_Finalize();
  return 0;
}
