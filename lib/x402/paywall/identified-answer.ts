import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { decodeBase64, encodeBase64 } from "../base64.ts";
import { type ClaimStore, guardStore } from "./claim-store.ts";
import type { PaymentIdentifier } from "./payment-identifier.ts";
import type { SentAnswer } from "./sent-answer.ts";

/** An id belongs to its payload for a day. */
const KEEP_ID_SECONDS = 24 * 3600;
/** A client asks again for a lost answer within this time. */
const KEEP_ANSWER_SECONDS = 3600;
const MAX_HEADER_CHARACTERS = 16_384;

const Stored = z.object({
  /** The SHA-256 of the payload that the answer belongs to. */
  payload: z.string(),
  status: z.number(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** In base64. */
  body: z.string(),
});

/** The answer to a payment with an id. */
export type IdentifiedAnswer = {
  /**
   * Returns the answer that was sent for the same payload, `null` if there is none yet, and "conflict" if the id belongs
   * to another payload. @throws ClaimStoreError
   */
  find(): Promise<SentAnswer | "conflict" | null>;
  /** Ties the id to the payload; `false` if it belongs to another one. @throws ClaimStoreError */
  bind(): Promise<boolean>;
  /** Frees the id of a refused payment. Never rejects. */
  letGo(): Promise<void>;
  /** True if a secret proves the payer, without which `keep` stores nothing. */
  isKeepable: boolean;
  /**
   * Stores the answer that was sent, if the id belongs to the payload and the answer's headers are short.
   * Never rejects.
   */
  keep(answer: SentAnswer): Promise<void>;
};

/**
 * Creates the answer to a payment at a place (method and address). The payment itself is public on the chain, so only a
 * payment with the secret of its holder has its answer stored.
 */
export function createIdentifiedAnswer(
  given: ClaimStore,
  place: string,
  { identifier: { id, payload }, holder }: { identifier: PaymentIdentifier; holder: string | undefined },
): IdentifiedAnswer {
  const store = guardStore(given);
  const name = bytesToHex(sha256(utf8ToBytes(`${id}\n${place}`)));
  const [idKey, answerKey] = [`x402:id:${name}`, `x402:answer:${name}`];
  let isBound = false;
  const isKeepable = holder !== undefined;
  return {
    async find() {
      const bound = await store.get(idKey);
      if (bound === null) return null;
      if (bound !== payload) return "conflict";
      isBound = true;
      const answer = read(await store.get(answerKey));
      return answer?.payload === payload ? { ...answer, body: decodeBase64(answer.body) } : null;
    },
    async bind() {
      isBound =
        (await store.setIfAbsent(idKey, payload, KEEP_ID_SECONDS)) || (await store.get(idKey)) === payload;
      return isBound;
    },
    async letGo() {
      await store.deleteIf(idKey, payload).catch(() => false);
    },
    isKeepable,
    async keep({ status, headers, body }) {
      if (!isKeepable || !isBound || headers.flat().join("").length > MAX_HEADER_CHARACTERS) return;
      const text = JSON.stringify({ payload, status, headers, body: encodeBase64(body) });
      await store.setIfAbsent(answerKey, text, KEEP_ANSWER_SECONDS).catch(() => {
        // A lost answer stays lost then.
      });
    },
  };
}

function read(text: string | null): z.infer<typeof Stored> | null {
  try {
    return text === null ? null : Stored.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
