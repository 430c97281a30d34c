import { expect, test } from "vitest";
import { createOpenApi } from "../../../lib/contract/openapi.ts";
import { startGateway } from "../../harness/start-gateway.ts";

const { paths } = createOpenApi("http://localhost:3000") as { paths: Record<string, object> };

test("the OpenAPI document describes exactly the methods that routes answer", async () => {
  const gateway = await startGateway();
  try {
    for (const [path, described] of Object.entries(paths)) {
      const address = `${gateway.url}${path.replace(/\{\w+\}/g, "z".repeat(26))}`;
      const { status, headers } = await fetch(address, { method: "PUT" });
      expect([path, status]).toEqual([path, 405]);
      const allowed = (headers.get("allow")?.split(", ") ?? []).filter((method) => method !== "HEAD");
      const methods = Object.keys(described).map((method) => method.toUpperCase());
      expect(allowed.sort()).toEqual([...methods, "OPTIONS"].sort());
    }
  } finally {
    await gateway.close();
  }
});
