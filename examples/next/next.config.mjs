import { fileURLToPath } from "node:url";

// For an app inside another's folder, as here in the checkout: else Next takes what it finds further up.
const root = fileURLToPath(new URL(".", import.meta.url));

/** @type {import("next").NextConfig} */
export default { turbopack: { root } };
