import { fileURLToPath } from "node:url";

// Needed for an app inside another app's folder, as in this checkout: otherwise Next uses a root further up.
const root = fileURLToPath(new URL(".", import.meta.url));

/** @type {import("next").NextConfig} */
export default { turbopack: { root } };
