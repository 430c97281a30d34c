import type { Config } from "../config.ts";
import { readAccounts } from "../hive/accounts.ts";
import { createHiveClient } from "../hive/client.ts";
import { decodeWif, signDigest } from "../hive/private-key.ts";
import { encodePublicKey } from "../hive/public-key.ts";
import { recoverPublicKey } from "../hive/recover-key.ts";
import { type Finding, fault, fine } from "./examine-nodes.ts";

const TIMEOUT_MS = 5000;

/**
 * Checks whether the image host, if there is one, answers, and whether the key is its account's posting key.
 */
export async function examineImageHost({
  imageHost,
  hive,
}: Pick<Config, "imageHost" | "hive">): Promise<Finding[]> {
  if (!imageHost) return [];
  const { url, signer } = imageHost;
  return Promise.all([examineHost(new URL(url.reveal())), ...(signer ? [examineSigner(signer, hive)] : [])]);
}

async function examineHost({ origin, host }: URL): Promise<Finding> {
  const subject = `image host ${host}`;
  try {
    const answer = await fetch(origin, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.body?.cancel();
    return fine(subject, "answers");
  } catch {
    return fault(subject, "does not answer", "Check IMAGE_UPLOAD_URL, and whether a firewall blocks it.");
  }
}

type Signer = NonNullable<NonNullable<Config["imageHost"]>["signer"]>;

async function examineSigner({ account, key }: Signer, { nodes, chainId }: Config["hive"]): Promise<Finding> {
  const subject = `image key of @${account}`;
  const secret = decodeWif(key.reveal());
  if (!secret)
    return fault(subject, "is not a private key: its checksum is wrong", "Copy IMAGE_UPLOAD_KEY again.");
  const client = createHiveClient({ nodes, chainId, timeoutMs: TIMEOUT_MS });
  try {
    const found = (await readAccounts(client, [account])).get(account);
    if (!found) return fault(subject, "has no account on the chain", "Correct IMAGE_UPLOAD_ACCOUNT.");
    const known = publicKeyOf(secret);
    const { key_auths, weight_threshold } = found.posting;
    return key_auths.some(([one, weight]) => one === known && weight >= weight_threshold)
      ? fine(subject, "is its posting key")
      : fault(subject, "is not its posting key", "Set IMAGE_UPLOAD_KEY to the account's posting key.");
  } catch {
    return fault(subject, "could not be compared with the chain", "See the chain nodes above.");
  } finally {
    await client.close();
  }
}

function publicKeyOf(secret: Uint8Array): string | null {
  const digest = new Uint8Array(32).fill(1);
  const key = recoverPublicKey(digest, Buffer.from(signDigest(digest, secret), "hex"));
  return key && encodePublicKey(key);
}
