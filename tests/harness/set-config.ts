import { type Config, currentConfig, loadConfig } from "../../lib/config.ts";

/** Sets the configuration of this test process, for units that read it. `settings` override the harness's. */
export function setConfig(settings: Readonly<Record<string, string>> = {}): Config {
  return currentConfig(
    loadConfig({
      CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
      CHAT_ADMIN_TOKEN: "a".repeat(26),
      CHAT_TEAM_ID: "t".repeat(26),
      SESSION_SECRET: "0123456789abcdef0123456789abcdef",
      LOG_LEVEL: "silent",
      PUBLIC_URL: "https://chat.example.com",
      ALLOWED_ORIGINS: "https://app.example.com/",
      ...settings,
    }),
  );
}
