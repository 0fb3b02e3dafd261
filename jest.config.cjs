module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  transform: {
    "(^.+\\.ts|/node_modules/hyparquet.*\\.js)$": [
      "@swc/jest",
      {
        jsc: { target: "es2022", parser: { syntax: "typescript" } },
        module: { type: "commonjs" },
        sourceMaps: "inline",
      },
    ],
  },
  // hyparquet comes as ES modules only, which jest cannot require.
  transformIgnorePatterns: ["/node_modules/(?!hyparquet)"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
};
