#!/bin/sh
# Builds and tests the addon for musl, in a container of Alpine with the checkout as its working directory.
set -eu
apk add --no-cache bash build-base cmake curl git linux-headers perl protobuf-dev protoc rustup
rustup-init -y --profile minimal
. "$HOME/.cargo/env"
# Node.js loads no addon that brings a C library of its own.
export RUSTFLAGS="-C target-feature=-crt-static"
npm run build
npm run test:ts
