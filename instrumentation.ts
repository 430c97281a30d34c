/** Next calls this once before it serves: settings with faults end the start here, whoever started Next. */
export async function register(): Promise<void> {
  const { currentConfig } = await import("./lib/config.ts");
  currentConfig();
}
