/** The scope of this worker; the types of TypeScript know every worker's alone. */
export const worker = globalThis as unknown as ServiceWorkerGlobalScope;

/** The build that registered this worker; "" stores no scripts. */
export const build = new URL(worker.location.href).searchParams.get("build") ?? "";
