import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** Something else of it is tried anew. */
  readonly of: string;
  /** Stands in its place when it cannot be drawn. */
  readonly otherwise: ReactNode;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly of: string;
  readonly hasFailed: boolean;
}

/** The part of a page that may fail to be drawn: all around it stays. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { of: this.props.of, hasFailed: false };

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps(
    { of }: ErrorBoundaryProps,
    before: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return of === before.of ? null : { of, hasFailed: false };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.otherwise : this.props.children;
  }
}
