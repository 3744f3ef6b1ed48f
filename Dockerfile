# oxherd as an image: docker build -t oxherd . && docker run --rm -v "$PWD:/work" oxherd plan
# The same image is the fleet controller: nothing in it is written, and it needs no root.
FROM node:20-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /tmp
RUN npm install --prefix /opt/oxherd --omit=dev --omit=optional /tmp/*.tgz && mkdir /work

# Node and its libraries alone: no shell, no package manager.
FROM gcr.io/distroless/nodejs20-debian12:nonroot
COPY --from=build /opt/oxherd /opt/oxherd
COPY --from=build --chown=65532:65532 /work /work
# Not root. Files of the config's folder must be readable by uid 65532, or run it with --user "$(id -u):$(id -g)".
USER 65532:65532
ENV HOME=/tmp
WORKDIR /work
ENTRYPOINT ["/nodejs/bin/node", "/opt/oxherd/node_modules/.bin/oxherd"]
CMD ["--help"]
