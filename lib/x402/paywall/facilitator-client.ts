import type { z } from "zod";
import { readJson } from "../../async/read-body.ts";
import * as schemas from "../schemas.ts";
import type { Facilitator, FacilitatorRequest, SettleResponse, VerifyResponse } from "../types.ts";
import { createFaultReporter } from "./facilitator-fault.ts";

const RETRY_AFTER_SECONDS = 5;
const MAX_RETRY_AFTER_SECONDS = 300;
/** Short, because a page waits for this answer and works without it. */
const SUPPORTED_TIMEOUT_MS = 2000;

/** The facilitator's answer, or `unavailable`. */
export type Answer<T> =
  | { kind: "answer"; value: T }
  /** `isSent` is true if the facilitator may have acted on the call. */
  | { kind: "unavailable"; isSent: boolean; retryAfterSeconds: number };

/** A facilitator with a deadline. No call rejects. */
export type FacilitatorCalls = {
  verify(request: FacilitatorRequest): Promise<Answer<VerifyResponse>>;
  settle(request: FacilitatorRequest, idempotencyKey: string): Promise<Answer<SettleResponse>>;
  /** Resolves to the facilitator's unparsed description of itself, or to `null`. */
  supported(): Promise<unknown>;
};

/** Creates calls to a facilitator over HTTP; each takes up to `timeoutMs`. */
export function createFacilitatorClient(url: string, timeoutMs: number): FacilitatorCalls {
  // A double slash would be another path, which some servers redirect.
  const base = url.replace(/\/+$/, "");
  const report = createFaultReporter(base);
  const post = async <T>(
    path: string,
    request: FacilitatorRequest,
    schema: z.ZodType<T>,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    try {
      const response = await fetch(base + path, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...headers },
        body: JSON.stringify(request),
        // `"error"` is not used, because the `fetch` of Workers refuses it.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      // A browser's `fetch` reports a redirect as status 0.
      if (response.status < 200 || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel();
        report("elsewhere");
        return unavailable(true);
      }
      if (response.status === 429 || response.status >= 500) {
        await response.body?.cancel();
        if (response.status !== 429) report("failing");
        return unavailable(response.status !== 429, readRetryAfter(response.headers.get("retry-after")));
      }
      const parsed = schema.safeParse(await readJson(response));
      if (parsed.success) return { kind: "answer", value: parsed.data };
      const { status } = response;
      report(status === 404 ? "missing" : status === 401 || status === 403 ? "refused" : "malformed");
      return unavailable(true);
    } catch {
      report("unreachable");
      // The call was refused, cut off or late; in any case the payer should retry.
      return unavailable(true);
    }
  };
  return {
    async verify(request) {
      const answer = await post("/verify", request, schemas.VerifyResponse);
      // The payment is for the offer's network, so an unknown network is the seller's fault.
      const isOfOtherChain = answer.kind === "answer" && answer.value.invalidReason === "unsupported_network";
      if (isOfOtherChain) report("otherChain");
      return answer;
    },
    settle: (request, idempotencyKey) =>
      post("/settle", request, schemas.SettleResponse, { "idempotency-key": idempotencyKey }),
    async supported() {
      try {
        const response = await fetch(`${base}/supported`, {
          headers: { accept: "application/json" },
          redirect: "manual",
          signal: AbortSignal.timeout(Math.min(timeoutMs, SUPPORTED_TIMEOUT_MS)),
        });
        return await readJson(response);
      } catch (error) {
        // A timeout is not reported, because a slow facilitator can still settle.
        if ((error as Error).name !== "TimeoutError") report("unreachable");
        return null;
      }
    },
  };
}

/** Adds the same deadline to a facilitator in this process. */
export function guardFacilitator(facilitator: Facilitator, timeoutMs: number): FacilitatorCalls {
  const guard = async <T>(call: () => Promise<unknown>, schema: z.ZodType<T>): Promise<Answer<T>> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("late")), timeoutMs);
    });
    try {
      const parsed = schema.safeParse(await Promise.race([call(), late]));
      return parsed.success ? { kind: "answer", value: parsed.data } : unavailable(true);
    } catch (error) {
      return unavailable(
        true,
        readRetryAfter((error as { retryAfterSeconds?: unknown } | null)?.retryAfterSeconds),
      );
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    verify: (request) => guard(() => facilitator.verify(request), schemas.VerifyResponse),
    settle: (request, idempotencyKey) =>
      guard(() => facilitator.settle(request, { idempotencyKey }), schemas.SettleResponse),
    supported: async () => facilitator.supported?.() ?? null,
  };
}

function unavailable(isSent: boolean, retryAfterSeconds = RETRY_AFTER_SECONDS) {
  return { kind: "unavailable", isSent, retryAfterSeconds } as const;
}

/** Parses whole seconds from a header or an error, within bounds; `undefined` for anything else. */
function readRetryAfter(given: unknown): number | undefined {
  const text = typeof given === "number" ? String(Math.ceil(given)) : given;
  if (typeof text !== "string" || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(Math.max(Number(text), 1), MAX_RETRY_AFTER_SECONDS);
}
