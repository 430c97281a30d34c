import { expect, test } from "vitest";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { explainFailure } from "../../../lib/cli/explain-failure.ts";
import { PaymentError } from "../../../lib/x402/client/index.ts";
import { paymentErrorCodes } from "../../../lib/x402/client/payment-error.ts";

const secret = "connect ECONNREFUSED 10.0.0.7:8091";

test.each(paymentErrorCodes)("an agent explains %s in words of its own", (code) => {
  const words = explainFailure(new PaymentError(code, secret));
  expect(words).toMatch(/^[A-Z].*\.$/);
  expect(words).not.toContain(secret);
});

test.each([
  ["an unknown error", new TypeError(secret)],
  ["an error of the chat", new ChatError({ code: "backend_unreachable", status: 502, message: secret })],
  ["a limit of the chat", new ChatError({ code: "rate_limited", status: 429, message: secret })],
  ["something that is no error", secret],
])("an agent explains %s without its text, and says when to ask again", (_name, error) => {
  expect(explainFailure(error)).toContain("Ask me again in a minute.");
  expect(explainFailure(error)).not.toContain(secret);
});
