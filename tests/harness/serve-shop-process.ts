import { createRedisStore } from "../../lib/store/redis-store.ts";
import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import type { Store } from "../../lib/store/store.ts";
import { paywall } from "../../lib/x402/express.ts";
import { serveNode } from "./serve-web.ts";
import type { ShopProcessOptions } from "./start-shop-process.ts";

// `startShopProcess` starts this file in a process of its own, with the options as JSON in the first argument.
const {
  store: kind,
  diesAt,
  content = "content",
  ...price
} = JSON.parse(process.argv[2] ?? "{}") as ShopProcessOptions;

const die = () => process.kill(process.pid, "SIGKILL");
const store =
  kind.kind === "sqlite"
    ? createSqliteStore({ dataDir: kind.dataDir })
    : await createRedisStore({ url: kind.url });

/** Wraps a store so that the process dies directly before or after a claim is written in a given phase. */
function mortal(given: Store): Store {
  const at = (phase: string, value: string) => value.includes(`"phase":"${phase}"`);
  return {
    ...given,
    async setIfAbsent(key, value, ttlSeconds) {
      const isSet = await given.setIfAbsent(key, value, ttlSeconds);
      if (diesAt === "after the claim" && at("settling", value)) die();
      return isSet;
    },
    async replace(key, expected, value, ttlSeconds) {
      if (diesAt === "after the settlement" && at("paid", value)) die();
      if (diesAt === "before the delivery is written down" && at("delivering", value)) die();
      if (diesAt === "after the content was sent" && at("delivered", value)) die();
      const isReplaced = await given.replace(key, expected, value, ttlSeconds);
      if (diesAt === "after the payment is written down" && at("paid", value)) die();
      return isReplaced;
    },
  };
}

const guard = paywall({ ...price, store: mortal(store) });
const server = await serveNode((request, response) =>
  guard(request, response, () => {
    if (diesAt === "in the handler") die();
    if (diesAt === "in the middle of the content") response.write(content.slice(0, 3), die);
    else response.end(content);
  }),
);
process.send?.({ url: server.url });
