#!/usr/bin/env bash
# Unpacks a real llama-server beside this system, installing nothing: the packages of Debian sid with all they need, down
# to their own libc, from the mirror that this system's apt uses.
#
#   usage: get-llama-server.sh DIR      as root, on Debian 12 or newer, with apt-get and dpkg-deb
#   gives: DIR/llama-server             starts it; DIR/root holds the unpacked packages
set -euo pipefail

dir=${1:?usage: get-llama-server.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
  awk '/\/debian\/*$/ && !best { best = $0 } !/-security\/*$/ && !any { any = $0 } END { print best ? best : any }')
[ -n "$mirror" ] || { echo "apt knows no mirror to fetch from" >&2; exit 1; }

# A state of its own with an empty list of installed packages, so that apt fetches every dependency.
state=$dir/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/var"
: > "$state/var/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" > "$state/sources.list"
apt=(apt-get -q
  -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State=$state/var" -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/var/status"
  -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=false)
"${apt[@]}" update
"${apt[@]}" -y --download-only install llama.cpp-tools

rm -rf "$dir/root"
mkdir "$dir/root"
for package in "$state"/cache/archives/*.deb; do dpkg-deb -x "$package" "$dir/root"; done
rm -rf "$state"
install -m 755 "$here/llama-server.sh" "$dir/llama-server"
"$dir/llama-server" --version
