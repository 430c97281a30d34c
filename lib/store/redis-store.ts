import { createClient } from "redis";
import { createScriptedStore } from "./scripted-store.ts";
import { type Store, storeFailure } from "./store.ts";

const COMMAND_TIMEOUT_MS = 2000;
const LONGEST_QUEUE = 10_000;

/**
 * A store in a Redis server (`redis://` or `rediss://`); it reconnects for ever, and no command waits longer than 2 s.
 * Resolves at once: a server that is down shows as `degraded` in the first call.
 */
export async function createRedisStore(options: { url: string }): Promise<Store> {
  const client = createClient({
    url: options.url,
    commandsQueueMaxLength: LONGEST_QUEUE,
    pingInterval: 3000,
    socket: {
      connectTimeout: COMMAND_TIMEOUT_MS,
      /** Together with the ping above: drops a half-open connection, and tries the next one. */
      socketTimeout: 8000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 6), 2000) + Math.random() * 50,
    },
  });
  // Without a listener a lost connection would end the process; the next command tells the caller.
  client.on("error", () => {});
  client.connect().catch(() => {
    // Only `close` ends the attempts to connect.
  });

  const send = async (command: string[]): Promise<unknown> => {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(storeFailure({ name: "CommandTimeout" })), COMMAND_TIMEOUT_MS + 100);
    });
    // `timeout` takes a command that was not sent yet out of the queue: what failed here is not done later.
    const reply = client.sendCommand(command, { timeout: COMMAND_TIMEOUT_MS });
    try {
      return await Promise.race([reply, deadline]);
    } finally {
      clearTimeout(timer);
    }
  };

  return createScriptedStore({
    evaluate: (script, keys, args) => send(["EVAL", script, String(keys.length), ...keys, ...args]),
    async scan(cursor, pattern) {
      const [next, keys] = (await send(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"])) as [
        string,
        string[],
      ];
      return { cursor: next, keys };
    },
    async close() {
      client.destroy();
    },
  });
}
