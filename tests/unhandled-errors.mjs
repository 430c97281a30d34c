// A reporter of Vitest for verify. It writes the errors that no test caught, because they fail a run without
// failing a test, and the JSON report omits them.
import { writeFileSync } from "node:fs";

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const found = errors.map(({ type, stack, message, VITEST_TEST_PATH: path, VITEST_TEST_NAME: test }) => ({
      source: [type ?? "Unhandled error", path, test].filter(Boolean).join(": "),
      reason: stack ?? String(message),
      path,
    }));
    writeFileSync(process.env.UNHANDLED_ERRORS_FILE, JSON.stringify(found));
  }
}
