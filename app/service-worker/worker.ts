/** The scope of this worker. TypeScript only declares the scope of all kinds of workers. */
export const worker = globalThis as unknown as ServiceWorkerGlobalScope;

/** The build that registered this worker; "" stores no scripts. */
export const build = new URL(worker.location.href).searchParams.get("build") ?? "";
