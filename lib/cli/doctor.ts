import { parseArgs } from "node:util";
import { type Config, currentConfig, environment, loadConfig } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { cryptoBackend } from "../hive/recover-key.ts";
import { exitOnStartupError } from "../services/process-end.ts";
import { examineBackend } from "./examine-backend.ts";
import { examineDoors } from "./examine-doors.ts";
import { examineNodes, examineStore, type Finding, fault, fine } from "./examine-nodes.ts";

const EX_FAULTS = 1;

function examineCrypto(): Finding {
  return cryptoBackend() === "native"
    ? fine("signature checks", "are native")
    : fault(
        "signature checks",
        "run in JavaScript, 20 times slower",
        "Install again with install scripts allowed: npm rebuild secp256k1.",
      );
}

async function examineAll(config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    examineBackend(config),
    examineNodes(config),
    examineStore(config.store),
    examineDoors(config),
  ]);
  return [fine("settings", "are complete"), ...findings.flat(), examineCrypto()];
}

try {
  readEnvFile();
  const { values } = parseArgs({
    options: {
      identities: { type: "boolean", default: false },
      adopt: { type: "string", multiple: true, default: [] },
      "rotate-secret": { type: "boolean", default: false },
    },
  });
  const config = currentConfig(loadConfig(environment()));
  const isAboutIdentities = values.identities || values.adopt.length > 0;
  const findings = values["rotate-secret"]
    ? await (await import("./rotate-secret.ts")).rotateSecret(config)
    : isAboutIdentities
      ? await (await import("./settle-identities.ts")).settleIdentities(config, values.adopt)
      : await examineAll(config);
  for (const { subject, isFine, isWarning, detail, advice } of findings) {
    console.log(`${isWarning ? "warn " : isFine ? "ok   " : "FAULT"} ${subject}: ${detail}`);
    if (advice) console.log(`      ${advice}`);
  }
  // Not `exitCode`: a store that tries to connect for ever would keep the process.
  process.exit(findings.every(({ isFine }) => isFine) ? 0 : EX_FAULTS);
} catch (error) {
  exitOnStartupError(error);
}
