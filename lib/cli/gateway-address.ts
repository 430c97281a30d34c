import { environment } from "../config.ts";
import { readEnvFile } from "../env-file.ts";

/**
 * The address of the gateway that a demo talks to: BASE_URL, or else PORT on this machine.
 * @throws ConfigError as `readEnvFile`
 */
export function gatewayAddress(): string {
  readEnvFile();
  const { BASE_URL, PORT = "3000" } = environment();
  return BASE_URL ?? `http://127.0.0.1:${PORT}`;
}
