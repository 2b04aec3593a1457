/**
 * Name under which a password manager keeps the operator's password. There is one account and nobody types a name, but
 * without one a manager offers another address' password, or asks which to replace.
 */
export function UserName() {
  return <input type="text" autoComplete="username" value="operator" readOnly hidden />;
}
