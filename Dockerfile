# The service as an image: built from the sources, run by a user without rights over a root that may be read-only.
# What it keeps is under /data. To build on bytes that cannot change, name the base by its digest:
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… .
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm pack
# What a package holds, with its dependencies and nothing that only builds and tests need.
RUN mkdir /cardea && tar -xzf cardea-*.tgz -C /cardea --strip-components=1 \
  && cp package-lock.json .npmrc /cardea && cd /cardea && npm ci --omit=dev

FROM ${NODE_IMAGE}
COPY --from=build /cardea /opt/cardea
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
ENV NODE_ENV=production \
    CARDEA_DATA_DIR=/data \
    CARDEA_HOST=0.0.0.0
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "/opt/cardea/dist/bundle/cardea.js", "health"]
ENTRYPOINT ["node", "--enable-source-maps", "/opt/cardea/dist/bundle/cardea.js"]
CMD ["serve"]
