/** The parts of an OpenAPI document that the reference shows. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

export type Content = Record<string, { schema?: Schema }>;

export type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: unknown[];
  parameters: Array<{ name: string; in: string; required: boolean; schema: Schema }>;
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
};

export type ApiDocument = {
  servers: Array<{ url: string }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  "x-error-codes": Array<{ code: string; status: number; text: string }>;
};
