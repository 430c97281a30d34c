export { type ClientSchemeOptions, createClientScheme } from "./client-scheme.ts";
export { createFacilitatorScheme } from "./facilitator-scheme.ts";
export { createServerScheme } from "./server-scheme.ts";
