import { ConfigError, environment } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { exitOnStartupError } from "../services/process-end.ts";
import { readOptions } from "../services/read-options.ts";
import { Settings } from "../settings.ts";
import { SeedError } from "./mattermost-calls.ts";
import { seedMattermost } from "./seed-mattermost.ts";

const WAIT_MS = 300_000;

const USAGE = `Usage: npm run seed [-- ADDRESS] [--settings FILE] [--admin FILE]

Sets up a new Mattermost at ADDRESS (default: CHAT_BASE_URL), such as http://127.0.0.1:8065/api/v4: admin, token, team and settings.

  --settings FILE  where the gateway's settings are written (default: .env)
  --admin FILE     where the admin's password is written (default: .data/mattermost-admin.json)`;

function readAddress(text: string | undefined): string {
  const { data, error } = Settings.shape.CHAT_BASE_URL.safeParse(text);
  if (data !== undefined) return data;
  const problem = text === undefined ? "is missing" : error?.issues[0]?.message;
  throw new ConfigError([
    { setting: "CHAT_BASE_URL", problem: `${problem}: npm run seed -- http://127.0.0.1:8065/api/v4` },
  ]);
}

try {
  const { values, positionals } = readOptions(USAGE, {
    allowPositionals: true,
    options: {
      settings: { type: "string", default: ".env" },
      admin: { type: "string", default: ".data/mattermost-admin.json" },
    },
  });
  readEnvFile();
  await seedMattermost({
    baseUrl: readAddress(positionals[0] ?? environment().CHAT_BASE_URL),
    adminFile: values.admin,
    settingsFile: values.settings,
    given: environment(),
    waitMs: WAIT_MS,
    say: (line) => console.log(line),
  });
} catch (error) {
  if (!(error instanceof SeedError)) exitOnStartupError(error);
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
