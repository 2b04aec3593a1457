import { z } from "zod";

/** Names of shapes that several methods and events share; the reference shows them once. */
export const SHAPES = z.registry<{ readonly id: string }>();

/** Names a shape. */
export function named<T extends z.ZodType>(id: string, shape: T): T {
  SHAPES.add(shape, { id });
  return shape;
}
