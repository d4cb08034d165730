/** The nodes that `parse` of mathjs returns, with the members that are used here. */
export type SyntaxNode =
  | { readonly type: "ParenthesisNode"; readonly content: SyntaxNode }
  | { readonly type: "ConstantNode"; readonly value: unknown }
  | { readonly type: "SymbolNode"; readonly name: string }
  | {
      readonly type: "AccessorNode";
      readonly object: SyntaxNode;
      readonly index: { readonly dimensions: readonly SyntaxNode[]; readonly dotNotation: boolean };
      readonly optionalChaining: boolean;
    }
  | {
      readonly type: "OperatorNode";
      readonly op: string;
      readonly fn: string;
      readonly args: readonly SyntaxNode[];
      /** True for a multiplication without a sign, as in `2 a`. */
      readonly implicit: boolean;
      readonly isPercentage: boolean;
    }
  | {
      readonly type: "ConditionalNode";
      readonly condition: SyntaxNode;
      readonly trueExpr: SyntaxNode;
      readonly falseExpr: SyntaxNode;
    }
  | { readonly type: "RelationalNode"; readonly params: readonly SyntaxNode[] }
  | { readonly type: "FunctionNode"; readonly fn: SyntaxNode; readonly args: readonly SyntaxNode[] }
  | { readonly type: keyof typeof REFUSED };

/** Names, for messages, of the nodes that a derived score cannot contain. */
export const REFUSED = {
  ArrayNode: "a matrix",
  AssignmentNode: "an assignment",
  BlockNode: "several expressions",
  FunctionAssignmentNode: "a function definition",
  IndexNode: "an index",
  ObjectNode: "an object",
  RangeNode: "a range",
} as const;
