/** Why a chat server could not be made ready; `message` ends with the next step. */
export class SeedError extends Error {
  readonly code: SeedErrorCode;

  constructor(code: SeedErrorCode, message: string) {
    super(message);
    this.name = "SeedError";
    this.code = code;
  }
}

export const seedErrorCodes = ["unreachable", "has_other_users", "settings_held", "refused"] as const;
type SeedErrorCode = (typeof seedErrorCodes)[number];
