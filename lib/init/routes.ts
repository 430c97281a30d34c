import type { Framework, Project } from "./project.ts";

/** A file to write, the remaining steps to do by hand, and how to try the result. */
export type Route = { path: string; text: string; mount: string[]; start: string; url: string };

const PORT = 4000;

const options = (indent: string) =>
  [
    "...sandbox(),",
    'amount: "0.050 HBD",',
    'receivingAccount: "shop",',
    'description: "The weekly report",',
    'dataDir: ".data",',
  ]
    .map((line) => indent + line)
    .join("\n");

const goLive = `// \`sandbox()\` sells on the sandbox of a Hivegate checkout (npm run quickstart). To go live, replace it with
// \`facilitatorUrl\`, a facilitator that you trust, and \`publicUrl\`, the address that buyers see. Name your account.
`;

const next = `import { withPaywall } from "hivegate/next";
import { sandbox } from "hivegate/sandbox";

${goLive}export const GET = withPaywall(
  {
${options("    ")}
  },
  (_request, { payer, txId }) => Response.json({ report: "All is well.", payer, txId }),
);
`;

const express = `import { Router } from "express";
import { paywall } from "hivegate/paywall";
import { sandbox } from "hivegate/sandbox";

${goLive}export const paidReport = Router();

paidReport.get(
  "/paid-report",
  paywall({
${options("    ")}
  }),
  (request, response) => {
    response.json({ report: "All is well.", payer: request.payer, txId: request.txId });
  },
);
`;

const hono = `import { Hono } from "hono";
import { honoPaywall } from "hivegate/hono";
import { sandbox } from "hivegate/sandbox";

${goLive}export const paidReport = new Hono();

paidReport.get(
  "/paid-report",
  honoPaywall({
${options("    ")}
  }),
  (c) => c.json({ report: "All is well.", payer: c.get("payer"), txId: c.get("txId") }),
);
`;

/** Returns the paywalled route for a project, with the sandbox's settings. */
export function routeFor(framework: Framework, project: Project): Route {
  const { appFolder, sourceFolder, isTypeScript, isModule } = project;
  const url = `http://127.0.0.1:${PORT}/paid-report`;
  if (framework === "next") {
    const path = `${appFolder ?? "app"}/paid-report/route.${isTypeScript ? "ts" : "js"}`;
    return { path, text: next, mount: [], start: `npx next dev --port ${PORT}`, url };
  }
  // If nothing marks the sources as modules, the file's extension does.
  const extension = isTypeScript ? "ts" : isModule ? "js" : "mjs";
  const imported =
    extension === "ts" ? (isModule ? "paid-report.js" : "paid-report") : `paid-report.${extension}`;
  const use = framework === "express" ? "app.use(paidReport);" : 'app.route("/", paidReport);';
  // A CommonJS file can import a module only at run time.
  const mount =
    extension === "mjs"
      ? [`import("./${imported}").then(({ paidReport }) => ${use.slice(0, -1)});`]
      : [`import { paidReport } from "./${imported}";`, use];
  const text = framework === "express" ? express : hono;
  const start = `start your server on port ${PORT}`;
  return { path: `${sourceFolder}paid-report.${extension}`, text, mount, start, url };
}
