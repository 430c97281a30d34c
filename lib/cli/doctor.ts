import { type Config, environment, loadConfig } from "../config.ts";
import { readEnvFile } from "../env-file.ts";
import { loadFacilitatorConfig } from "../facilitator-config.ts";
import { recoveryImplementation } from "../hive/recover-key.ts";
import { log } from "../log.ts";
import { exitOnStartupError } from "../services/process-end.ts";
import { readOptions } from "../services/read-options.ts";
import { examineDoors, examinePort, isFacilitator } from "./examine-doors.ts";
import { examineImageHost } from "./examine-image-host.ts";
import { examineMattermost } from "./examine-mattermost.ts";
import { examineNodes, examineStore, type Finding, fault, fine } from "./examine-nodes.ts";

const EX_FAULTS = 1;

const USAGE = `Usage: npm run doctor [-- OPTION]

Examines settings, Mattermost, chain nodes, store, proxy and port. Ends with status 0 where nothing is at fault, else with 1.

  --facilitator      examines a facilitator that runs alone
  --identities       lists chat users that are not bound to the account of their name
  --adopt ACCOUNT    gives an account the chat user of its name; may be given several times
  --rotate-secret    puts what SESSION_SECRET_PREVIOUS protects under SESSION_SECRET`;

function examineCrypto(): Finding {
  return recoveryImplementation() === "native"
    ? fine("signature checks", "are native")
    : fault(
        "signature checks",
        "run in JavaScript, 20 times slower",
        "Reinstall with install scripts allowed: npm rebuild secp256k1.",
      );
}

async function examineAll(config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    examineMattermost(config),
    examineNodes(config),
    examineStore(config.store),
    examineDoors(config),
    examineImageHost(config),
  ]);
  return [fine("settings", "are complete"), ...findings.flat(), examineCrypto()];
}

/** Examines a standalone facilitator. */
async function examineFacilitator(): Promise<Finding[]> {
  const config = loadFacilitatorConfig(environment());
  const [nodes, store, { finding: port }] = await Promise.all([
    examineNodes(config),
    examineStore(config.store),
    examinePort(config, isFacilitator),
  ]);
  return [fine("settings", "are complete"), ...nodes, ...store, port, examineCrypto()];
}

async function examineGateway(about: { rotatesSecret: boolean; identities: boolean; adopt: string[] }) {
  const config = loadConfig(environment());
  log(config.logLevel);
  if (about.rotatesSecret) return (await import("./rotate-secret.ts")).rotateSecret(config);
  return about.identities || about.adopt.length > 0
    ? (await import("./review-identities.ts")).reviewIdentities(config, about.adopt)
    : examineAll(config);
}

try {
  const { values } = readOptions(USAGE, {
    options: {
      identities: { type: "boolean", default: false },
      adopt: { type: "string", multiple: true, default: [] },
      "rotate-secret": { type: "boolean", default: false },
      facilitator: { type: "boolean", default: false },
    },
  });
  readEnvFile();
  const findings = values.facilitator
    ? await examineFacilitator()
    : await examineGateway({ ...values, rotatesSecret: values["rotate-secret"] });
  for (const { subject, isFine, isWarning, detail, advice } of findings) {
    console.log(`${isWarning ? "warn " : isFine ? "ok   " : "FAULT"} ${subject}: ${detail}`);
    if (advice) console.log(`      ${advice}`);
  }
  // Setting `exitCode` is not enough, because a store that reconnects forever keeps the process running.
  process.exit(findings.every(({ isFine }) => isFine) ? 0 : EX_FAULTS);
} catch (error) {
  exitOnStartupError(error);
}
