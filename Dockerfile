# Images are pinned by exact version. To pin them by digest, look it up in the registry with
# `docker buildx imagetools inspect node:24.19.0-slim`.
FROM node:24.19.0-slim AS build
WORKDIR /app
# Compiles secp256k1 for processors without a prebuilt binary.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# The build cache and the source maps are not part of the product.
RUN npm run build && npm prune --omit=dev && rm -rf .next/cache .next/source-maps && mkdir .next/cache \
  && mv .next/static page-files

FROM node:24.19.0-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/.next .next
# The pages' files twice: as they are served, for a volume that also keeps those of earlier releases, and as built.
COPY --from=build --chown=node:node /app/page-files .next/static
COPY --from=build /app/page-files page-files
COPY --from=build /app/dist dist
COPY --from=build /app/public public
COPY --from=build /app/docs docs
COPY --from=build /app/package.json /app/next.config.mjs ./
# A new volume takes the owner and mode of the folder on which it is mounted.
RUN install -d -o node -g node -m 700 /data /seed /run/hivegate
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD node -e "fetch('http://127.0.0.1:' + (process.env.PORT ?? 3000) + '/api/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
CMD ["sh", "-c", "node dist/keep-assets.js page-files .next/static && exec node dist/server.js"]
