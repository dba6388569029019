# cmake -DOUT=embedded_sql.cc -DDIR=db -P embed.cmake
# Writes every .sql file of migrations/ and queries/ as one raw string into a source file.
file(GLOB FILES RELATIVE ${DIR} ${DIR}/migrations/*.sql ${DIR}/queries/*.sql)
list(SORT FILES)
set(TEXT "#include \"db/sql_text.h\"\n\nnamespace pinka::db {\n\n")
string(APPEND TEXT "const std::vector<SqlFile>& SqlFiles() {\n  static const auto* files = new std::vector<SqlFile>{\n")
foreach(FILE IN LISTS FILES)
  file(READ ${DIR}/${FILE} BODY)
  string(APPEND TEXT "      {\"${FILE}\", R\"__sql__(${BODY})__sql__\"},\n")
endforeach()
string(APPEND TEXT "  };\n  return *files;\n}\n\n}  // namespace pinka::db\n")
file(WRITE ${OUT} "${TEXT}")
