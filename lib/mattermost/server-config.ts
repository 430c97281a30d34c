import { z } from "zod";
import type { Caller } from "./backend.ts";

const ClientConfig = z.object({ CollapsedThreads: z.string().default("disabled") });

/** Whether the server counts roots and threads apart by default ("collapsed threads"). */
export async function readCollapsesThreads(caller: Caller): Promise<boolean> {
  const { CollapsedThreads } = await caller.call("GET", "/config/client?format=old", ClientConfig);
  return CollapsedThreads === "always_on" || CollapsedThreads === "default_on";
}
