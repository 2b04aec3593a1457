/** An SQL statement that is prepared once for each connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The name stands behind the first word too: the views and logs of the database drop what stands before it. */
export const statement = (name: string, text: string): Statement => ({
  name: `agent_${name}`,
  text: text.trimStart().replace(/^\w+/, (word) => `${word} /* agent_${name} */`),
});
