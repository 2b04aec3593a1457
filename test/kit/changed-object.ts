/** An object as it is, but for some of its members. */
export const changedObject = <T extends object>(object: T, changes: Partial<T>): T =>
  new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(changes, name)) return Reflect.get(changes, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
