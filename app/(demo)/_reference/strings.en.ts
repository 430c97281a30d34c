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
  errorsText: "Codes of every refusal but those of payments. The sentence may be a closer one.",
  payments: "Codes of payments",
  paymentsText:
    "Why a paywall does not hand out what it sells, and what to do: also the values of invalidReason and errorReason.",
  clientErrors: "Codes of the paying client",
  clientErrorsText: "The code of a PaymentError: nothing was paid. No server answers so, hence no status.",
});
