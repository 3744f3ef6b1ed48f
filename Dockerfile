# oxherd as an image: docker build -t oxherd . && docker run --rm -v "$PWD:/work" oxherd plan
FROM node:20-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /tmp

FROM node:20-slim
COPY --from=build /tmp/oxherd-*.tgz /tmp/oxherd.tgz
RUN npm install --global --omit=dev /tmp/oxherd.tgz && rm /tmp/oxherd.tgz && mkdir /work && chown node:node /work
# Not root. Files of the config's folder must be readable by uid 1000, or run it with --user "$(id -u):$(id -g)".
USER node
ENV HOME=/tmp
WORKDIR /work
ENTRYPOINT ["oxherd"]
CMD ["--help"]
