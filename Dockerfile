# The gateway. One stage builds it; the stage that runs it has no compiler and no development packages.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# npm needs the manifests of all packages. The gateway needs only the code of the engine.
COPY packages/client/package.json ./packages/client/
COPY packages/embedded-mongo/package.json ./packages/embedded-mongo/
COPY packages/guard/package.json ./packages/guard/
COPY packages/testing/package.json ./packages/testing/
COPY stand-ins ./stand-ins
RUN npm ci --no-fund --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY packages/embedded-mongo ./packages/embedded-mongo
COPY scripts ./scripts
COPY pages ./pages
COPY packages/client/src ./packages/client/src
COPY docs/people ./docs/people
COPY src ./src
# What is optional stays when the development packages go: the driver of the move (docs/migration.md), and Amazon's credentials.
RUN for name in mysql2 @aws-sdk/credential-provider-node; do \
      npm pkg set "dependencies.$name=$(npm pkg get "peerDependencies.$name" | tr -d '"')" && npm pkg delete "devDependencies.$name"; \
    done
RUN npm run build:gateway && npm run build:pages && npm prune --omit=dev --no-fund --no-audit

FROM node:${NODE_VERSION}-slim
# Node.js as process 1 ignores signals until it has loaded. tini passes them on, and removes the ended processes of others.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    STORAGE_DIR=/data/storage \
    DATA_DIR=/data/database
WORKDIR /app
# Owned by root, so that an attacker who breaks into the process cannot change the code.
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/packages/embedded-mongo ./packages/embedded-mongo
COPY --from=build /app/stand-ins ./stand-ins
COPY package.json ./
COPY schema ./schema
RUN mkdir /data && chown node:node /data && chmod +x dist/auth-gateway.js && ln -s /app/dist/auth-gateway.js /usr/local/bin/auth-gateway
# A short start as the user node, with the flags of CMD, keeps its compiled code for all later starts. They only read it.
RUN set -e; code=node_modules/.cache/auth-gateway; mkdir -p "$code"; chown node "$code"; \
    export PORT=0 BASE_URL=http://localhost EMBEDDED_DATABASE=allow DATA_DIR=/tmp/data STORAGE_DIR=/tmp/storage; \
    setpriv --reuid=node --regid=node --clear-groups \
    node --max-semi-space-size=8 --heap-growing-percent=80 dist/main.js > /tmp/ready & \
    until grep ready /tmp/ready; do kill -0 $!; sleep 1; done; kill $!; wait $!; \
    chown -R root:root "$code"; chmod -R a+rX "$code"; rm -r /tmp/data /tmp/storage /tmp/ready
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
# Not with npm, which does not pass signals on.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=80", "dist/main.js"]
# At the end, because they differ in every build. docs/operations/install.md has the command that fills them.
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED
LABEL org.opencontainers.image.title="auth-gateway" \
      org.opencontainers.image.description="An authentication gateway for doctors and patients" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
