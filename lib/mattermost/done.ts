import { z } from "zod";

/** The answer of calls that give nothing back. */
export const Done = z.object({ status: z.literal("OK") });
