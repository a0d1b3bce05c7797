# nap SECONDS: as sleep, which is a process each time. Sourced.
exec {nap_pipe}<> <(:)
nap() { read -rt "$1" -u "$nap_pipe" || :; }
