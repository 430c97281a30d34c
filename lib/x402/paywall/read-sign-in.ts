import { z } from "zod";
import { isAccountName } from "../../hive/account-name.ts";
import { decodeBase64Json } from "../header.ts";
import { MAX_SIGN_IN_CHARACTERS } from "../sign-in-text.ts";

/** The fields that vary between challenges, or state their purpose; the signed text fixes the others. */
const Proof = z.object({
  domain: z.string(),
  uri: z.string(),
  chainId: z.string(),
  type: z.string(),
  nonce: z.string(),
  issuedAt: z.string(),
  address: z.string().refine(isAccountName),
  signature: z.string().regex(/^[0-9a-f]{130}$/),
});
export type ReadProof = z.infer<typeof Proof>;

/** Parses the header of a sign-in, or returns `null` for anything else. */
export function readSignIn(text: string): ReadProof | null {
  try {
    return Proof.parse(decodeBase64Json(text, MAX_SIGN_IN_CHARACTERS));
  } catch {
    // The text is not base64 or not JSON, or has another shape; all of these get the same answer.
    return null;
  }
}
