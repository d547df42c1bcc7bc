#!/usr/bin/env bash
# All measurements of search at full size, the most wanted first; each table grows in a file of its own.
#     bash benchmarks/search_full.sh FOLDER [GAMES] [WORKERS]
# On 16 cores about eight minutes, the compiling included (most of the last tables' rows are for a longer run).
set -u
out=$1 games=${2:-400} workers=${3:-$(nproc)} python=${PYTHON:-python3}
export OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1
here=$(dirname "$0")

compiled() { "$python" -c 'import sys, fogbound as fb; fb.play(sys.argv[1], sys.argv[2:], seed=1)' "$@" >> "$out/errors.txt" 2>&1; }
table() { local file=$1; shift; "$python" "$here/$1.py" "${@:2}" --workers "$workers" > "$out/$file.md" 2>> "$out/errors.txt"; date >> "$out/times.txt"; }

date > "$out/times.txt"
for playout in random chase heuristic; do
    compiled scotland-yard/plan1:detectives=2 mcts:iterations=5,playout=$playout heuristic &
done
compiled scotland-yard/grid5-2020 alphabeta:evaluation=v4 &
compiled empire/seed:players=2 flat:playouts=2 heuristic &
compiled empire/seed:players=2 flat:playouts=2,improved turns:iterations=20 &
compiled risk/random:territories=9,players=3,seed=1,round_limit=3 turns:iterations=20 heuristic random &
wait
date >> "$out/times.txt"

table h6-f11 mcts --experiment h6.f10 --rows square1 --games "$games"
table equal-time-plan1 equal_time --board plan1 --games "$games"
table equal-time-london equal_time --board london --only guess,categories,coalition,filter,playouts --games $((games * 16 / 25))
table t51 search --experiment t51 --games "$games"
table games search --experiment improved,tree,risk --games $((games / 10))
table h6-f5 mcts --experiment h6.f5 --games "$games"
table equal-time-london-rest equal_time --board london --only observers,c,history --games $((games / 2))
