/** The parts that tests use of packages without types. */
declare module "express5" {
  import express from "express";
  export default express;
}
declare module "express-session" {
  import type { RequestHandler } from "express";
  export default function session(options: {
    secret: string;
    resave: boolean;
    saveUninitialized: boolean;
  }): RequestHandler;
}
declare module "cookie-session" {
  import type { RequestHandler } from "express";
  export default function cookieSession(options: { keys: string[] }): RequestHandler;
}
