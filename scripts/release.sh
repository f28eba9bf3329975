#!/usr/bin/env bash
# Builds exp for the four platforms, stripped, static, with its version inside. The same
# revision and the same Go give the same bytes on every machine.
#
#	scripts/release.sh                    builds into dist/
#	scripts/release.sh --out DIR          builds into DIR
#	scripts/release.sh --check            builds twice, from clones in two folders,
#	                                      each with an empty cache, and compares the
#	                                      checksums (a few minutes)
#
# A further argument OS/ARCH builds only this platform: scripts/release.sh --check linux/arm64.
#
# The version is the tag of the revision, or Go's pseudo-version. The working tree must have
# no changes, because no one else could build the same.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."

targets="linux/amd64 linux/arm64 darwin/arm64 windows/amd64"

# What else could change a byte is set here and not taken from the caller.
export CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT= GOFLAGS=-mod=readonly GOWORK=off GOTOOLCHAIN=local LC_ALL=C
umask 022

usage() {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

sums() {
	if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# build DIR: binaries, licences and their checksums.
build() {
	local out=$1 target os arch name first=
	if [ -n "$(git status --porcelain)" ]; then
		echo "release: the working tree has changes: commit or stash them" >&2
		exit 1
	fi
	# Outside of the tree, which has to stay as it is until all are built.
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	# Inference for browsers, which -tags page takes in, is the same for all of them.
	go run ./cmd/exp/internal/web/offline/embed
	for target in $targets; do
		os=${target%/*} arch=${target#*/}
		name=exp-$os-$arch
		[ "$os" = windows ] && name=$name.exe
		GOOS=$os GOARCH=$arch go build -trimpath -tags page -buildvcs=true -ldflags='-s -w' -o "$stage/$name" ./cmd/exp
		first=${first:-$name}
	done
	cp LICENSE "$stage/LICENSE.txt"
	go run ./scripts/licences -texts >"$stage/LICENCES.txt"
	(cd "$stage" && {
		echo "# $(go version -m "$first" | awk '$1 == "mod" { print $2, $3 }') built by $(go env GOVERSION)"
		sums exp-* LICENSE.txt LICENCES.txt
	} >SHA256SUMS)
	mkdir -p "$out"
	cp "$stage"/* "$out"
	cat "$out/SHA256SUMS"
}

# check: the sums of two builds from two folders are the same.
check() {
	local copy
	work=$(mktemp -d) # not local: the trap comes later
	trap 'rm -rf "$work"' EXIT
	for copy in a one-with-a-longer-name/b; do
		git clone --quiet . "$work/$copy"
		echo "== $copy"
		(cd "$work/$copy" && GOCACHE=$work/$copy.cache scripts/release.sh --out "$work/$copy.dist" $targets)
		chmod -R u+w "$work/$copy.cache" && rm -rf "$work/$copy.cache"
	done
	if cmp "$work/a.dist/SHA256SUMS" "$work/one-with-a-longer-name/b.dist/SHA256SUMS"; then
		echo "the same sums from two folders"
	else
		echo "release: the sums differ" >&2
		exit 1
	fi
}

# only OS/ARCH…: build these platforms instead of all.
only() {
	local t
	[ $# -eq 0 ] && return
	for t in "$@"; do
		case " $targets " in
		*" $t "*) ;;
		*) usage ;;
		esac
	done
	targets="$*"
}

case "${1:-}" in
--check)
	only "${@:2}"
	check
	;;
--out)
	[ $# -ge 2 ] || usage
	only "${@:3}"
	case $2 in
	/*) build "$2" ;;
	*) build "$here/$2" ;;
	esac
	;;
-*) usage ;;
*)
	only "$@"
	build dist
	;;
esac
