// expect: trivially copyable objects, spans of such, and what can be serialized
#include <raddle/ddm.h>

#include <map>
auto carried(std::map<int, int*>& table) { return raddle::ddm::data(table); }
