#!/usr/bin/env bash
# Starts the llama-server that get-llama-server.sh has unpacked here, with the loader and libraries that came with it. It
# takes this process's place, so that a signal reaches the server.
set -euo pipefail

root=$(cd "$(dirname "$0")" && pwd)/root
loader=$(find "$root" -name 'ld-linux-*.so.*' | head -n 1)
[ -n "$loader" ] || { echo "nothing is unpacked in $root: run get-llama-server.sh" >&2; exit 1; }
lib=$(dirname "$(find "$root/usr/lib" -maxdepth 2 -name ggml -type d | head -n 1)")

# Without it the server finds no back end at all.
if [ -z "${GGML_BACKEND_PATH:-}" ]; then
  case "$(grep -m 1 -E '^(flags|Features)' /proc/cpuinfo || true)" in
    *avx2*) kind=haswell ;;
    *avx*) kind=sandybridge ;;
    *sse4_2*) kind=sse42 ;;
    *) kind=x64 ;;
  esac
  GGML_BACKEND_PATH=$lib/ggml/backends0/libggml-cpu-$kind.so
  [ -e "$GGML_BACKEND_PATH" ] || GGML_BACKEND_PATH=$(find "$lib/ggml" -name 'libggml-cpu*.so' | head -n 1)
  export GGML_BACKEND_PATH
fi
exec "$loader" --library-path "$lib:$lib/ggml:$lib/llama" "$root/usr/bin/llama-server" "$@"
