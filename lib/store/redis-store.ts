import { createClient } from "redis";
import { createScriptedStore } from "./scripted-store.ts";
import { type Store, storeFailure } from "./store.ts";

const COMMAND_TIMEOUT_MS = 2000;
const LONGEST_QUEUE = 10_000;

/**
 * Creates a store in a Redis server (`redis://` or `rediss://`). The store reconnects forever, and no command
 * waits longer than 2 s. Resolves at once; if the server is down, the first call rejects with `degraded`.
 */
export async function createRedisStore(options: { url: string }): Promise<Store> {
  const client = createClient({
    url: options.url,
    commandsQueueMaxLength: LONGEST_QUEUE,
    pingInterval: 3000,
    socket: {
      connectTimeout: COMMAND_TIMEOUT_MS,
      /** Together with the ping above, this drops a half-open connection and opens another. */
      socketTimeout: 8000,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** Math.min(retries, 6), 2000) + Math.random() * 50,
    },
  });
  // Without a listener, a lost connection would end the process. The next command reports it to the caller.
  client.on("error", () => {});
  client.connect().catch(() => {
    // Ignored: the client keeps trying to connect until `close`.
  });

  const send = async (command: string[]): Promise<unknown> => {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(storeFailure({ name: "CommandTimeout" })), COMMAND_TIMEOUT_MS + 100);
    });
    // `timeout` removes an unsent command from the queue, so that a failed command is not executed later.
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
