import { inLanguages } from "../_ui/language.ts";

/** The texts of the API reference. */
export const strings = inLanguages("reference", {
  title: "API reference",
  docs: "Docs",
  copyCode: "Copy code",
  document: "The OpenAPI 3.1 document",
  contents: "Contents",
  access: { none: "no token", pat: "needs a token", metrics: "needs METRICS_TOKEN" },
  parameters: "Parameters",
  body: "Body",
  limits: "Limits",
  limit: (quota: string) => `${quota}; more is 429.`,
  responses: "Answers",
  exampleOf: (name: string) => (name === "" || name === "example" ? "Example" : `Example: ${name}`),
  tryIt: "Try it",
  required: "required",
  optional: "optional",
  columns: { status: "Status", code: "Code", meaning: "Meaning" },
  tokens: "Tokens",
  schemes: {
    bearer: "Authorization: Bearer",
    cookie: "Cookie",
    metrics: "Authorization: Bearer, for metrics",
  } as Record<string, string>,
  schemas: "Types",
  errors: "Error codes",
  errorsText:
    "The codes of all errors except those of payments. The message of an answer may be more precise.",
  payments: "Codes of payments",
  paymentsText:
    "Why a paywall did not deliver, and what to do. These are the values of invalidReason and errorReason, too.",
  clientErrors: "Codes of the paying client",
  clientErrorsText:
    "The code of a PaymentError: the call charges nothing, except perhaps with redirected_after_payment. Payments of earlier calls may still be charged, as with too_many_under_way. No server sends these, so they have no status.",
});
