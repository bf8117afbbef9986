# The program, its manual and bash's completions on Debian 12:
#   docker build --build-arg FIRMAMENT_COMMIT=$(git rev-parse HEAD) --tag firmament .
#   docker run --rm --volume "$PWD":/work firmament run my-job.fio --html report.html

# Debian 12 with Rust: Debian's own Rust is too old.
FROM rust:1.88-bookworm AS build
WORKDIR /source
COPY . .
# The repository is not copied, so that the commit has to be said.
ARG FIRMAMENT_COMMIT=
RUN make install FIRMAMENT_COMMIT="$FIRMAMENT_COMMIT" DESTDIR=/package PREFIX=/usr/local

FROM debian:12-slim
COPY --from=build /package/ /
WORKDIR /work
ENTRYPOINT ["firmament"]
